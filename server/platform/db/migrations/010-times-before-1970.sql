-- A retention of 36,500 days begins before 1970. No id is older than 1970, so the lowest one of such a time is that of
-- 1970; a negative time would give one of the highest, and everything would be older.
create or replace function lowest_id(at timestamptz) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex(greatest(0, floor(extract(epoch from at) * 1000)::bigint)), 12, '0') || repeat('0', 20))::uuid
$$;
