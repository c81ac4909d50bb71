using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

public static class Gatehouse
{
    // header: the value of a header or null, as in ASP.NET Core: name => Request.Headers[name]
    public static bool IsFromGatehouse(string secret, Func<string, string> header, byte[] body)
    {
        var timestamp = header("webhook-timestamp") ?? "";
        if (!Regex.IsMatch(timestamp, @"\A[0-9]{10}\z")) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(timestamp)) > 300) return false;
        byte[] key;
        try
        {
            key = secret.StartsWith("whsec_", StringComparison.Ordinal)
                ? Convert.FromBase64String(secret.Substring(6))
                : Encoding.UTF8.GetBytes(secret);
        }
        catch (FormatException) // the secret is not base64
        {
            return false;
        }
        if (key.Length == 0) return false;
        var signed = Encoding.UTF8.GetBytes($"{header("webhook-id")}.{timestamp}.").Concat(body).ToArray();
        using (var hmac = new HMACSHA256(key))
        {
            var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(hmac.ComputeHash(signed)));
            return Regex.Split(header("webhook-signature") ?? "", ",? +|,(?=v1)")
                .Any(given => CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(given), expected));
        }
    }
}
