// Filters by time: without this script they are UTC; with it they are in the reader's own zone, and UTC in the address.
const fields = document.querySelectorAll("input[data-utc]");

for (const field of fields) {
  const label = field.labels[0];
  label.textContent = label.textContent.replace(field.dataset.utc, "").trim();
  if (field.value) field.value = inZone(new Date(`${field.value}Z`));
  field.form.addEventListener("formdata", ({ formData }) => {
    if (field.value) formData.set(field.name, new Date(field.value).toISOString());
  });
}

function inZone(date) {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
