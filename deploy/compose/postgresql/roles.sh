# Creates a role with a password of its own for Gatehouse and for Temporal, and their databases. PostgreSQL's image runs
# it once, for a new volume. Neither role can read the other's database.

psql --username "${POSTGRES_USER:-postgres}" --dbname postgres --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<'SQL'
\getenv gatehouse GATEHOUSE_PASSWORD
\getenv temporal TEMPORAL_PASSWORD
create role gatehouse login password :'gatehouse';
create role temporal login password :'temporal';
create database gatehouse owner gatehouse;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke all on database gatehouse, temporal, temporal_visibility, postgres from public;
SQL
