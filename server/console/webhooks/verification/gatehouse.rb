require "openssl"

# headers: a hash of names and values, or Rack's env. body: the bytes as received, such as request.body.read
def from_gatehouse?(secret, headers, body)
  header = lambda do |name|
    found = headers.select { |key, _| key.to_s.downcase.tr("_", "-").delete_prefix("http-") == name }
    found.map { |_, value| Array(value).join(" ") }.join(" ").b
  end
  timestamp = header.call("webhook-timestamp")
  return false unless timestamp.match?(/\A[0-9]{10}\z/) && (Time.now.to_i - timestamp.to_i).abs <= 300

  key = secret.start_with?("whsec_") ? secret.delete_prefix("whsec_").unpack1("m0") : secret
  return false if key.empty?

  mac = OpenSSL::HMAC.digest("SHA256", key, "#{header.call("webhook-id")}.#{timestamp}.".b + body.b)
  expected = "v1,#{[mac].pack("m0")}"
  header.call("webhook-signature").split(/,? +/).any? { |given| OpenSSL.secure_compare(given, expected) }
rescue ArgumentError # the secret is not base64
  false
end
