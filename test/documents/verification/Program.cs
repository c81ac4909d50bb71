// As main.mjs.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

public static class Program
{
    public static void Main()
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var fields = line.Split('\t').Select(Convert.FromBase64String).ToArray();
            var headers = new Dictionary<string, List<string>>(StringComparer.OrdinalIgnoreCase);
            for (var i = 2; i < fields.Length; i += 2)
            {
                var name = Encoding.UTF8.GetString(fields[i]);
                if (!headers.ContainsKey(name)) headers[name] = new List<string>();
                headers[name].Add(Encoding.UTF8.GetString(fields[i + 1]));
            }
            // ASP.NET Core joins by a comma alone.
            var answers = new[] { ",", ", ", " " }.Select(separator => Answer(fields, name =>
                headers.ContainsKey(name) ? string.Join(separator, headers[name]) : null));
            Console.WriteLine(string.Join(",", answers.Distinct()));
        }
    }

    private static string Answer(byte[][] fields, Func<string, string> header)
    {
        try
        {
            return Gatehouse.IsFromGatehouse(Encoding.UTF8.GetString(fields[0]), header, fields[1]) ? "true" : "false";
        }
        catch (Exception error)
        {
            return error.Message;
        }
    }
}
