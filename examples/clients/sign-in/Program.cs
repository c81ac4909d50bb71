// dotnet new web; dotnet add package Microsoft.AspNetCore.Authentication.OpenIdConnect; http://localhost:3001/login
using System.Globalization;
using System.Net.Http.Headers;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;
using Microsoft.Extensions.Options;
using Microsoft.IdentityModel.Protocols.OpenIdConnect;

const string Cookie = CookieAuthenticationDefaults.AuthenticationScheme;
const string Gatehouse = OpenIdConnectDefaults.AuthenticationScheme;
var redirectUri = new Uri("http://localhost:3001/callback");
var http = new HttpClient();

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseUrls($"http://127.0.0.1:{redirectUri.Port}");
builder.Services
    .AddAuthentication(Cookie)
    .AddCookie(Cookie, options =>
    {
        // It has the tokens, encrypted: set SessionStore to keep them in a database.
        options.Cookie.Name = "aspnet-session";
        options.Cookie.SameSite = SameSiteMode.Lax;
        options.Events.OnValidatePrincipal = Refresh;
    })
    .AddOpenIdConnect(Gatehouse, options =>
    {
        options.Authority = "http://localhost:3000";
        options.RequireHttpsMetadata = false; // only for http on this machine
        options.ClientId = "1001";
        options.ClientSecret = Environment.GetEnvironmentVariable("CLIENT_SECRET");
        options.ResponseType = "code";
        options.ResponseMode = "query";
        options.CallbackPath = redirectUri.AbsolutePath;
        options.Scope.Clear();
        foreach (var scope in "openid profile".Split(' ')) options.Scope.Add(scope);
        options.SaveTokens = true;
        options.MapInboundClaims = false;
        foreach (var cookie in new[] { options.CorrelationCookie, options.NonceCookie })
        {
            cookie.SameSite = SameSiteMode.Lax;
            cookie.SecurePolicy = CookieSecurePolicy.SameAsRequest;
        }
        options.Events.OnRedirectToIdentityProvider = context =>
        {
            context.ProtocolMessage.RedirectUri = redirectUri.ToString();
            return Task.CompletedTask;
        };
        options.Events.OnRedirectToIdentityProviderForSignOut = context =>
        {
            context.ProtocolMessage.PostLogoutRedirectUri = "http://localhost:3001/";
            return Task.CompletedTask;
        };
        options.Events.OnRemoteFailure = async context =>
        {
            context.HandleResponse();
            var message = context.Failure?.Message ?? "";
            // Back, a second tab or a bookmark: begin again.
            if (message.StartsWith("Correlation failed") || message.Contains("message.State"))
            {
                context.Response.Redirect("/login");
                return;
            }
            context.Response.StatusCode = 400;
            await context.Response.WriteAsync("Not signed in.");
        };
    });

var app = builder.Build();
app.UseAuthentication();

// The handler redirects away from the callback: if it were loaded again, the code would be sent twice.
app.MapGet("/login", () => Results.Challenge(new AuthenticationProperties { RedirectUri = "/" }, [Gatehouse]));

app.MapGet("/", async (HttpContext context) =>
{
    var token = await context.GetTokenAsync("access_token");
    if (token == null) return Results.Content("<a href=\"/login\">Sign in</a>", "text/html");
    var request = new HttpRequestMessage(HttpMethod.Get, (await Discovered(context)).UserInfoEndpoint);
    request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
    var answer = await http.SendAsync(request);
    answer.EnsureSuccessStatusCode();
    var user = (await answer.Content.ReadAsStringAsync()).Replace("<", "\\u003c");
    var form = "<form method=\"post\" action=\"/logout\"><button>Sign out</button></form>";
    return Results.Content($"<p>{user}</p>{form}", "text/html");
});

app.MapPost("/logout", async (HttpContext context) =>
{
    var token = await context.GetTokenAsync("refresh_token");
    if (token != null) await Post(context, "revocation_endpoint", new() { ["token"] = token });
    return Results.SignOut(new AuthenticationProperties { RedirectUri = "/" }, [Cookie, Gatehouse]);
});

app.Run();

// A refresh returns the next refresh token: it is kept before anything else is done.
async Task Refresh(CookieValidatePrincipalContext context)
{
    var token = context.Properties.GetTokenValue("refresh_token");
    var expires = DateTimeOffset.Parse(context.Properties.GetTokenValue("expires_at")!, CultureInfo.InvariantCulture);
    if (token == null || DateTimeOffset.UtcNow < expires.AddMinutes(-1)) return;
    var form = new Dictionary<string, string> { ["grant_type"] = "refresh_token", ["refresh_token"] = token };
    var answer = await Post(context.HttpContext, "token_endpoint", form);
    if (!answer.IsSuccessStatusCode)
    {
        // The refresh token is revoked or expired.
        context.RejectPrincipal();
        await context.HttpContext.SignOutAsync(Cookie);
        return;
    }
    var fresh = new OpenIdConnectMessage(await answer.Content.ReadAsStringAsync());
    var seconds = double.Parse(fresh.ExpiresIn, CultureInfo.InvariantCulture);
    context.Properties.UpdateTokenValue("access_token", fresh.AccessToken);
    context.Properties.UpdateTokenValue("refresh_token", fresh.RefreshToken ?? token);
    context.Properties.UpdateTokenValue("expires_at", DateTimeOffset.UtcNow.AddSeconds(seconds).ToString("o"));
    context.ShouldRenew = true;
}

async Task<HttpResponseMessage> Post(HttpContext context, string endpoint, Dictionary<string, string> form)
{
    var options = OptionsOf(context);
    form["client_id"] = options.ClientId!;
    if (!string.IsNullOrEmpty(options.ClientSecret)) form["client_secret"] = options.ClientSecret;
    var provider = await Discovered(context);
    var address = endpoint == "token_endpoint" ? provider.TokenEndpoint : provider.AdditionalData[endpoint].ToString();
    return await http.PostAsync(address, new FormUrlEncodedContent(form));
}

OpenIdConnectOptions OptionsOf(HttpContext context) =>
    context.RequestServices.GetRequiredService<IOptionsMonitor<OpenIdConnectOptions>>().Get(Gatehouse);

Task<OpenIdConnectConfiguration> Discovered(HttpContext context) =>
    OptionsOf(context).ConfigurationManager!.GetConfigurationAsync(context.RequestAborted);
