# Creates or upgrades the tables in Temporal's databases. It may run again.

for name in temporal visibility; do
  database=$(echo "$name" | sed 's/^visibility$/temporal_visibility/')
  temporal-sql-tool --plugin postgres12 --db "$database" setup-schema -v 0.0
  temporal-sql-tool --plugin postgres12 --db "$database" update-schema --schema-name "postgresql/v12/$name"
done
