<?php
// routes/web.php; CLIENT_SECRET is in .env; php artisan serve --port 3001; then open http://localhost:3001/login

use Illuminate\Http\Request;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Http;
use Illuminate\Support\Facades\Route;
use Illuminate\Support\Str;

final class Gatehouse
{
    const ISSUER = 'http://localhost:3000';
    const CLIENT_ID = '1001';
    const REDIRECT_URI = 'http://localhost:3001/callback';

    public static function provider(): array
    {
        $address = self::ISSUER . '/.well-known/openid-configuration';
        return Cache::remember('gatehouse', 3600, fn() => Http::get($address)->throw()->json());
    }

    public static function post(string $endpoint, array $form)
    {
        // With a cached configuration, env() has no values: read it in config/services.php.
        $secret = env('CLIENT_SECRET');
        $http = $secret ? Http::withBasicAuth(self::CLIENT_ID, $secret) : Http::asForm();
        return $http->asForm()->post(self::provider()[$endpoint], ['client_id' => self::CLIENT_ID] + $form);
    }

    public static function keep(array $tokens): array
    {
        $kept = $tokens + session('tokens', []);
        session(['tokens' => ['expires_at' => time() + $tokens['expires_in']] + $kept]);
        // Kept before anything else is done: a refresh returns the next refresh token.
        session()->save();
        return session('tokens');
    }

    /** It comes from the token endpoint itself, so TLS replaces the check of its signature (OpenID Connect Core 3.1.3.7). */
    public static function subject(string $idToken): string
    {
        $claims = json_decode(base64_decode(strtr(explode('.', $idToken)[1], '-_', '+/')), true);
        abort_if($claims['iss'] !== self::ISSUER || $claims['aud'] !== self::CLIENT_ID, 400);
        return $claims['sub'];
    }

    /** @return array|null null: not signed in, or the refresh token is revoked or expired */
    public static function tokens(): ?array
    {
        $tokens = session('tokens');
        if (!isset($tokens['refresh_token']) || time() <= $tokens['expires_at'] - 60) {
            return $tokens;
        }
        $form = ['grant_type' => 'refresh_token', 'refresh_token' => $tokens['refresh_token']];
        $answer = self::post('token_endpoint', $form);
        return $answer->successful() ? self::keep($answer->json()) : null;
    }
}

Route::get('/login', function () {
    $verifier = Str::random(64);
    $state = Str::random(40);
    session(['sign-in' => compact('state', 'verifier')]);
    return redirect()->away(Gatehouse::provider()['authorization_endpoint'] . '?' . http_build_query([
        'response_type' => 'code',
        'client_id' => Gatehouse::CLIENT_ID,
        'redirect_uri' => Gatehouse::REDIRECT_URI,
        'scope' => 'openid profile',
        'state' => $state,
        'code_challenge' => rtrim(strtr(base64_encode(hash('sha256', $verifier, true)), '+/', '-_'), '='),
        'code_challenge_method' => 'S256',
    ]));
});

Route::get(parse_url(Gatehouse::REDIRECT_URI, PHP_URL_PATH), function (Request $request) {
    $signIn = session()->pull('sign-in');
    if ($signIn === null || $request->query('state') !== $signIn['state']) {
        // Back, a second tab or a bookmark: begin again.
        return redirect('/login');
    }
    $answer = Gatehouse::post('token_endpoint', [
        'grant_type' => 'authorization_code',
        'code' => $request->query('code'),
        'redirect_uri' => Gatehouse::REDIRECT_URI,
        'code_verifier' => $signIn['verifier'],
    ]);
    if ($answer->failed()) {
        report($answer->toException());
        return response('Not signed in. <a href="/login">Try again</a>', 400);
    }
    session()->flush();
    session()->regenerate();
    session(['sub' => Gatehouse::subject($answer['id_token'])]);
    Gatehouse::keep($answer->json());
    // Away from the callback: if it were loaded again, the code would be sent twice.
    return redirect('/');
});

Route::get('/', function () {
    $tokens = Gatehouse::tokens();
    if ($tokens === null) {
        session()->flush();
        return '<a href="/login">Sign in</a>';
    }
    $user = Http::withToken($tokens['access_token'])->get(Gatehouse::provider()['userinfo_endpoint'])->throw()->json();
    abort_if($user['sub'] !== session('sub'), 400);
    $text = json_encode($user, JSON_HEX_TAG);
    return "<p>$text</p><form method=\"post\" action=\"/logout\">" . csrf_field() . '<button>Sign out</button></form>';
});

Route::post('/logout', function () {
    $tokens = session('tokens');
    session()->invalidate();
    if ($tokens === null) {
        return redirect('/', 303);
    }
    if (isset($tokens['refresh_token'])) {
        Gatehouse::post('revocation_endpoint', ['token' => $tokens['refresh_token']]);
    }
    return redirect()->away(Gatehouse::provider()['end_session_endpoint'] . '?' . http_build_query([
        'id_token_hint' => $tokens['id_token'],
        'post_logout_redirect_uri' => 'http://localhost:3001/',
    ]), 303);
});
