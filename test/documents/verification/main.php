<?php
// As main.mjs.

declare(strict_types=1);
set_error_handler(function (int $level, string $message) { throw new ErrorException($message); });
require 'gatehouse.php';

foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    $fields = array_map('base64_decode', explode("\t", $line));
    [$joined, $lists, $server] = [[], [], ['REQUEST_TIME' => 1, 'argv' => ['x'], 0 => 'x']];
    for ($i = 2; $i < count($fields); $i += 2) {
        [$name, $value] = [$fields[$i], $fields[$i + 1]];
        $lists[$name][] = $value;
        $joined[$name] = implode(', ', $lists[$name]);
        $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $joined[$name];
    }
    $answers = [];
    foreach ([$joined, $lists, $server] as $headers) {
        try {
            $answers[] = json_encode(is_from_gatehouse($fields[0], $headers, $fields[1]));
        } catch (Throwable $error) {
            $answers[] = $error->getMessage();
        }
    }
    echo implode(',', array_unique($answers)), "\n";
}
