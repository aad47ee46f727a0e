<?php
// Issue an invoice with PHP 8, without extensions: php issue.php invoice.xml

$url = getenv('TIMBRA_URL') ?: 'http://127.0.0.1:8080';
$token = getenv('TIMBRA_TOKEN');

$boundary = bin2hex(random_bytes(16));
$body = "--$boundary\r\n"
    . "Content-Disposition: form-data; name=\"xml\"; filename=\"invoice.xml\"\r\n\r\n"
    . file_get_contents($argv[1])
    . "\r\n--$boundary--\r\n";
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ["Authorization: Bearer $token", "Content-Type: multipart/form-data; boundary=$boundary"],
    'content' => $body,
    'ignore_errors' => true,
]]);
$content = file_get_contents("$url/cfdi33/issue/v4", false, $context);
if ($content === false) {
    exit(1);
}
$answer = json_decode($content, true, 16, JSON_THROW_ON_ERROR);

// 307: this invoice was stamped before, for instance by a request whose answer was lost. `data` is its stamp.
if ($answer['status'] !== 'success' && !str_starts_with($answer['message'], '307')) {
    fwrite(STDERR, $answer['message'] . ' ' . ($answer['messageDetail'] ?? '') . "\n");
    exit(1);
}
$stamp = $answer['data'];
echo $stamp['uuid'], ' ', $stamp['fechaTimbrado'], "\n";
file_put_contents($stamp['uuid'] . '.xml', $stamp['cfdi']);
