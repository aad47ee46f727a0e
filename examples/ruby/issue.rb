# Issue an invoice with Ruby 3, without gems: ruby issue.rb invoice.xml
require "json"
require "net/http"

url = URI.join(ENV.fetch("TIMBRA_URL", "http://127.0.0.1:8080"), "/cfdi33/issue/v4")
request = Net::HTTP::Post.new(url, "Authorization" => "Bearer #{ENV.fetch("TIMBRA_TOKEN")}")

File.open(ARGV.fetch(0), "rb") do |file|
  request.set_form([["xml", file, { filename: "invoice.xml" }]], "multipart/form-data")
  response = Net::HTTP.start(url.host, url.port, use_ssl: url.scheme == "https") { |http| http.request(request) }
  answer = JSON.parse(response.body)

  # 307: this invoice was stamped before, for instance by a request whose answer was lost. `data` is its stamp.
  unless answer["status"] == "success" || answer["message"].start_with?("307")
    abort "#{answer["message"]} #{answer["messageDetail"]}"
  end
  stamp = answer["data"]
  puts "#{stamp["uuid"]} #{stamp["fechaTimbrado"]}"
  File.write("#{stamp["uuid"]}.xml", stamp["cfdi"])
end
