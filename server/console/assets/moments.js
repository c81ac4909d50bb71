// Fields for a moment: without this script they are UTC; with it they are in the reader's own zone, which the label names,
// and what is sent is UTC.
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
