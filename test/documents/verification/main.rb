# As main.mjs.

require_relative "gatehouse"

$stdin.each_line(chomp: true) do |line|
  secret, body, *rest = line.split("\t", -1).map { |text| text.unpack1("m0") }
  lists = Hash.new { |all, name| all[name] = [] }
  rest.map { |text| text.force_encoding("UTF-8") }.each_slice(2) { |name, value| lists[name] << value }
  joined = lists.transform_values { |values| values.join(", ") }
  rack = joined.transform_keys { |name| "HTTP_#{name.upcase.tr("-", "_")}" }
  forms = [lists, joined, rack.merge("rack.input" => nil, "SERVER_PORT" => 1)]
  answers = forms.product([body, body.dup.force_encoding("UTF-8")]).map do |headers, bytes|
    from_gatehouse?(secret.dup.force_encoding("UTF-8"), headers, bytes)
  rescue StandardError => error
    error.inspect
  end
  puts answers.uniq.join(",")
end
