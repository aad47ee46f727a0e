// Issue an invoice with .NET 8, without packages: dotnet run -- invoice.xml
using System.Net.Http.Headers;
using System.Text.Json;

var url = Environment.GetEnvironmentVariable("TIMBRA_URL") ?? "http://127.0.0.1:8080";
using var client = new HttpClient { BaseAddress = new Uri(url) };
var token = Environment.GetEnvironmentVariable("TIMBRA_TOKEN");
client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);

using var form = new MultipartFormDataContent();
form.Add(new ByteArrayContent(await File.ReadAllBytesAsync(args[0])), "xml", "invoice.xml");
using var response = await client.PostAsync("/cfdi33/issue/v4", form);
using var answer = JsonDocument.Parse(await response.Content.ReadAsStreamAsync());
var root = answer.RootElement;
var message = root.GetProperty("message").GetString() ?? "";

// 307: this invoice was stamped before, for instance by a request whose answer was lost. `data` is its stamp.
if (root.GetProperty("status").GetString() != "success" && !message.StartsWith("307"))
{
    Console.Error.WriteLine($"{message} {root.GetProperty("messageDetail").GetString()}");
    return 1;
}
var stamp = root.GetProperty("data");
var uuid = stamp.GetProperty("uuid").GetString();
Console.WriteLine($"{uuid} {stamp.GetProperty("fechaTimbrado").GetString()}");
await File.WriteAllTextAsync($"{uuid}.xml", stamp.GetProperty("cfdi").GetString());
return 0;
