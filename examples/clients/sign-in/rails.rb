# gem install rails puma; then open http://localhost:3001/login
require "action_controller/railtie"
require "net/http"
require "puma"

ISSUER = "http://localhost:3000"
CLIENT_ID = "1001"
CLIENT_SECRET = ENV["CLIENT_SECRET"]
REDIRECT_URI = URI("http://localhost:3001/callback")
PROVIDER = JSON.parse(Net::HTTP.get(URI("#{ISSUER}/.well-known/openid-configuration")))
TOKENS = {} # by session: the cookie has only its id. Use a database in production

class App < Rails::Application
  config.eager_load = false
  config.secret_key_base = SecureRandom.hex(64)
  config.session_store :cookie_store, key: "rails-session", same_site: :lax, secure: REDIRECT_URI.scheme == "https"
end

class SessionsController < ActionController::Base
  class Refused < StandardError; end
  protect_from_forgery with: :exception

  def sign_in
    session[:state] = SecureRandom.urlsafe_base64(32)
    session[:verifier] = SecureRandom.urlsafe_base64(32)
    request = {
      response_type: "code",
      client_id: CLIENT_ID,
      redirect_uri: REDIRECT_URI.to_s,
      scope: "openid profile",
      state: session[:state],
      code_challenge: Base64.urlsafe_encode64(Digest::SHA256.digest(session[:verifier]), padding: false),
      code_challenge_method: "S256"
    }
    redirect_to "#{PROVIDER["authorization_endpoint"]}?#{request.to_query}", allow_other_host: true
  end

  def come_back
    # Back, a second tab or a bookmark: begin again.
    return redirect_to("/login") if session[:state].blank? || params[:state] != session[:state]
    verifier = session[:verifier]
    reset_session
    grant = { grant_type: "authorization_code", code: params[:code], redirect_uri: REDIRECT_URI.to_s }
    tokens = post("token_endpoint", **grant, code_verifier: verifier)
    session[:sub] = subject_of(tokens["id_token"])
    session[:id] = SecureRandom.urlsafe_base64(32)
    keep(tokens)
    # Away from the callback: if it were loaded again, the code would be sent twice.
    redirect_to "/"
  rescue Refused => error
    logger.error(error)
    render html: 'Not signed in. <a href="/login">Try again</a>'.html_safe, status: 400
  end

  def home
    tokens = current_tokens
    return render(html: '<a href="/login">Sign in</a>'.html_safe) unless tokens
    headers = { "Authorization" => "Bearer #{tokens["access_token"]}" }
    user = JSON.parse(Net::HTTP.get(URI(PROVIDER["userinfo_endpoint"]), headers))
    raise "This is a different user." if user["sub"] != session[:sub]
    text = ERB::Util.json_escape(user.to_json).html_safe
    render html: helpers.tag.p(text) + helpers.button_to("Sign out", "/logout")
  rescue Refused # the refresh token is revoked or expired
    TOKENS.delete(session[:id])
    reset_session
    redirect_to "/login"
  end

  def sign_out
    tokens = TOKENS.delete(session[:id])
    reset_session
    return redirect_to("/", status: 303) unless tokens
    post("revocation_endpoint", token: tokens["refresh_token"]) if tokens["refresh_token"]
    back = { id_token_hint: tokens["id_token"], post_logout_redirect_uri: "http://localhost:3001/" }
    redirect_to "#{PROVIDER["end_session_endpoint"]}?#{back.to_query}", status: 303, allow_other_host: true
  end

  private

  # A refresh returns the next refresh token: it is kept before anything else is done.
  def current_tokens
    tokens = TOKENS[session[:id]]
    return tokens unless tokens && tokens["refresh_token"] && Time.now.to_i > tokens["expires_at"] - 60
    keep(post("token_endpoint", grant_type: "refresh_token", refresh_token: tokens["refresh_token"]))
  end

  def keep(tokens)
    expires_at = Time.now.to_i + tokens["expires_in"]
    TOKENS[session[:id]] = { **TOKENS.fetch(session[:id], {}), **tokens, "expires_at" => expires_at }
  end

  # It comes from the token endpoint itself, so TLS replaces the check of its signature (OpenID Connect Core 3.1.3.7).
  def subject_of(id_token)
    claims = JSON.parse(Base64.urlsafe_decode64(id_token.split(".")[1]))
    raise Refused, "The id_token is for another client." if claims["iss"] != ISSUER || claims["aud"] != CLIENT_ID
    claims["sub"]
  end

  def post(endpoint, **form)
    address = URI(PROVIDER[endpoint])
    request = Net::HTTP::Post.new(address)
    request.set_form_data(client_id: CLIENT_ID, **form)
    request.basic_auth(CLIENT_ID, CLIENT_SECRET) if CLIENT_SECRET
    answer = Net::HTTP.start(address.host, address.port, use_ssl: address.scheme == "https") { _1.request(request) }
    raise Refused, answer.body unless answer.is_a?(Net::HTTPSuccess)
    answer.body.blank? ? {} : JSON.parse(answer.body)
  end
end

App.initialize!
App.routes.draw do
  get "/login" => "sessions#sign_in"
  get REDIRECT_URI.path => "sessions#come_back"
  post "/logout" => "sessions#sign_out"
  root "sessions#home"
end
server = Puma::Server.new(App)
server.add_tcp_listener("127.0.0.1", REDIRECT_URI.port)
server.run.join
