<?php

/** $headers: getallheaders(), $_SERVER, or names and lists as of PSR-7. $body: file_get_contents('php://input') */
function is_from_gatehouse(string $secret, array $headers, string $body): bool
{
    $header = function (string $name) use ($headers): string {
        $values = [];
        foreach ($headers as $key => $value) {
            $plain = preg_replace('/^http-/', '', strtr(strtolower($key), '_', '-'));
            if ($plain === $name) array_push($values, ...array_values((array) $value));
        }
        return implode(' ', $values);
    };
    $timestamp = $header('webhook-timestamp');
    if (!preg_match('/\A[0-9]{10}\z/', $timestamp) || abs(time() - (int) $timestamp) > 300) return false;
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : $secret;
    if ($key === false || $key === '') return false;
    $mac = hash_hmac('sha256', "{$header('webhook-id')}.$timestamp.$body", $key, true);
    $expected = 'v1,' . base64_encode($mac);
    foreach (preg_split('/,? +/', $header('webhook-signature')) as $given) {
        if (hash_equals($expected, $given)) return true;
    }
    return false;
}
