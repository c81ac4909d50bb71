// spring-boot-starter-web and spring-boot-starter-oauth2-client 3.5; then open http://localhost:3001/login
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.client.ClientAuthorizationException;
import org.springframework.security.oauth2.client.OAuth2AuthorizeRequest;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.web.HttpSessionOAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class Spring {
  static final String REDIRECT_URI = "http://localhost:3001/callback";
  static final String NAME = "gatehouse";
  final ClientRegistrationRepository registrations;
  final OAuth2AuthorizedClientRepository tokens;
  final DefaultOAuth2AuthorizedClientManager manager;
  final RestClient http = RestClient.create();

  public static void main(String[] arguments) {
    var redirect = URI.create(REDIRECT_URI);
    var secret = System.getenv("CLIENT_SECRET");
    var client = "spring.security.oauth2.client.registration." + NAME + ".";
    var settings = new HashMap<String, Object>();
    settings.put("server.address", "127.0.0.1");
    settings.put("server.port", redirect.getPort() < 0 ? 3001 : redirect.getPort());
    settings.put("server.servlet.session.cookie.name", "spring-session");
    settings.put("server.servlet.session.cookie.same-site", "lax");
    settings.put("server.servlet.session.cookie.secure", redirect.getScheme().equals("https"));
    settings.put("spring.security.oauth2.client.provider." + NAME + ".issuer-uri", "http://localhost:3000");
    settings.put(client + "client-id", "1001");
    settings.put(client + "client-secret", secret);
    settings.put(client + "client-authentication-method", secret == null ? "none" : "client_secret_basic");
    settings.put(client + "scope", "openid profile".replace(' ', ','));
    settings.put(client + "redirect-uri", REDIRECT_URI);
    settings.put(client + "authorization-grant-type", "authorization_code");
    var app = new SpringApplication(Spring.class);
    app.setDefaultProperties(settings);
    app.run(arguments);
  }

  /** Kept in memory, by the session: use Spring Session with a database in production. */
  @Bean
  static OAuth2AuthorizedClientRepository tokens() {
    return new HttpSessionOAuth2AuthorizedClientRepository();
  }

  Spring(ClientRegistrationRepository registrations, OAuth2AuthorizedClientRepository tokens) {
    this.registrations = registrations;
    this.tokens = tokens;
    this.manager = new DefaultOAuth2AuthorizedClientManager(registrations, tokens);
  }

  @Bean
  static SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository registrations,
      OAuth2AuthorizedClientRepository tokens) throws Exception {
    var back = new OidcClientInitiatedLogoutSuccessHandler(registrations);
    back.setPostLogoutRedirectUri("http://localhost:3001/");
    return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
        .oauth2Login(login -> login.loginPage("/login")
            .authorizationEndpoint(start -> start.authorizationRequestResolver(atLogin(registrations)))
            .redirectionEndpoint(end -> end.baseUri(URI.create(REDIRECT_URI).getPath()))
            // Away from the callback: if it were loaded again, the code would be sent twice.
            .defaultSuccessUrl("/", true)
            .failureHandler((request, response, error) -> {
              var isOther = error instanceof OAuth2AuthenticationException known
                  && known.getError().getErrorCode().equals("authorization_request_not_found");
              // Back, a second tab or a bookmark: begin again.
              if (isOther) response.sendRedirect("/login");
              else response.sendError(400, "Not signed in.");
            }))
        .logout(logout -> logout.logoutSuccessHandler(back)
            .addLogoutHandler((request, response, user) -> revoke(registrations, tokens, request, response, user)))
        .build();
  }

  static OAuth2AuthorizationRequestResolver atLogin(ClientRegistrationRepository registrations) {
    var resolver = new DefaultOAuth2AuthorizationRequestResolver(registrations, "/login");
    resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    return new OAuth2AuthorizationRequestResolver() {
      public OAuth2AuthorizationRequest resolve(HttpServletRequest request) {
        return request.getServletPath().equals("/login") ? resolver.resolve(request, NAME) : null;
      }

      public OAuth2AuthorizationRequest resolve(HttpServletRequest request, String name) {
        return resolver.resolve(request, name);
      }
    };
  }

  @GetMapping("/")
  String home(Authentication user, CsrfToken csrf, HttpServletRequest request, HttpServletResponse response)
      throws Exception {
    if (user == null) return "<a href=\"/login\">Sign in</a>";
    try {
      // Refreshes the access token a minute before it expires, and keeps the next refresh token.
      var client = manager.authorize(OAuth2AuthorizeRequest.withClientRegistrationId(NAME).principal(user)
          .attribute(HttpServletRequest.class.getName(), request)
          .attribute(HttpServletResponse.class.getName(), response).build());
      var address = client.getClientRegistration().getProviderDetails().getUserInfoEndpoint().getUri();
      var shown = http.get().uri(address)
          .headers(headers -> headers.setBearerAuth(client.getAccessToken().getTokenValue()))
          .retrieve().body(Map.class);
      return "<p>" + jsonOf(shown) + "</p><form method=\"post\" action=\"/logout\"><input type=\"hidden\" name=\""
          + csrf.getParameterName() + "\" value=\"" + csrf.getToken() + "\"><button>Sign out</button></form>";
    } catch (ClientAuthorizationException error) {
      // The refresh token is revoked or expired.
      request.logout();
      response.sendRedirect("/login");
      return null;
    }
  }

  static String jsonOf(Object user) throws JsonProcessingException {
    return new ObjectMapper().writeValueAsString(user).replace("<", "\\u003c");
  }

  static void revoke(ClientRegistrationRepository registrations, OAuth2AuthorizedClientRepository tokens,
      HttpServletRequest request, HttpServletResponse response, Authentication user) {
    var client = user == null ? null : tokens.loadAuthorizedClient(NAME, user, request);
    if (client == null || client.getRefreshToken() == null) return;
    ClientRegistration of = client.getClientRegistration();
    var form = new LinkedMultiValueMap<String, String>();
    form.add("token", client.getRefreshToken().getTokenValue());
    form.add("client_id", of.getClientId());
    if (!of.getClientSecret().isEmpty()) form.add("client_secret", of.getClientSecret());
    var address = of.getProviderDetails().getConfigurationMetadata().get("revocation_endpoint").toString();
    RestClient.create().post().uri(address).body(form).retrieve().toBodilessEntity();
    tokens.removeAuthorizedClient(NAME, user, request, response);
  }
}
