-- Issues a new invoice with every request: wrk -t1 -c16 -d30s -s bench/wrk/stamps.lua http://127.0.0.1:8080
-- TOKEN: an account's token. INVOICE: file of an unsealed CFDI that it may issue. VERSION: of the answer, v1 unless given.

local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init()
  local file = assert(io.open(os.getenv("INVOICE") or "invoice.xml", "rb"))
  local invoice = file:read("*a")
  file:close()
  local first, last = invoice:find(' Folio="[^"]*"')
  if not first then
    first, last = invoice:find(" Version=", 1, true)
    first, last = first, first - 1
  end
  before, after = invoice:sub(1, first - 1), invoice:sub(last + 1)
  run = string.format("%x", os.time())
  made = 0
  path = "/cfdi33/issue/" .. (os.getenv("VERSION") or "v1")
  headers = {
    ["Authorization"] = "Bearer " .. assert(os.getenv("TOKEN"), "TOKEN is not set"),
    ["Content-Type"] = "multipart/form-data; boundary=b0undary",
  }
  refused = 0
end

function request()
  made = made + 1
  local folio = string.format(' Folio="%s-%d-%d"', run, number, made)
  local body = '--b0undary\r\nContent-Disposition: form-data; name="xml"; filename="a.xml"\r\n'
    .. "Content-Type: application/xml\r\n\r\n" .. before .. folio .. after .. "\r\n--b0undary--\r\n"
  return wrk.format("POST", path, headers, body)
end

function response(status, _, body)
  if status ~= 200 then
    refused = refused + 1
    if refused == 1 then
      io.stderr:write("first refusal: " .. status .. " " .. body:sub(1, 300) .. "\n")
    end
  end
end
