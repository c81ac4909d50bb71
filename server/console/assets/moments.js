// Date-time fields are in UTC without scripts. This script shows them in the local time zone, names the zone in the
// label, and submits UTC.
const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: "shortGeneric" });
const isUtc = zone.resolvedOptions().timeZone === "UTC";
const name = zone.formatToParts(Date.now()).find(({ type }) => type === "timeZoneName").value;

for (const field of document.querySelectorAll("input[data-utc]")) {
  const label = field.labels[0];
  if (!isUtc) label.textContent = label.textContent.replace(field.dataset.utc, `(${name})`);
  if (field.value) field.value = inZone(new Date(`${field.value}Z`));
  field.form.addEventListener("formdata", ({ formData }) => {
    if (field.value) formData.set(field.name, new Date(field.value).toISOString());
  });
}

function inZone(date) {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
