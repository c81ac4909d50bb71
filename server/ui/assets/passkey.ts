// Answers a form's question with a passkey: when its button is pressed, or by the browser's offer in the user name's
// field. The form stays hidden in browsers without passkeys.

import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";

const form = document.querySelector<HTMLFormElement>("form[data-passkey]");
if (form && browserSupportsWebAuthn()) void show(form);
else for (const note of document.querySelectorAll<HTMLElement>("[data-without-passkeys]")) note.hidden = false;

async function show(form: HTMLFormElement): Promise<void> {
  form.hidden = false;
  const optionsJSON = JSON.parse(form.dataset.options!);
  const isNew = form.dataset.passkey === "new";
  const send = (credential: unknown) => {
    form.querySelector<HTMLInputElement>("[name=credential]")!.value = JSON.stringify(credential);
    form.submit();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const problem = form.querySelector<HTMLElement>("[role=alert]")!;
    problem.hidden = true;
    const answer = isNew ? startRegistration({ optionsJSON }) : startAuthentication({ optionsJSON });
    answer.then(send, (error: Error) => {
      const { already, cancelled } = form.dataset;
      problem.textContent = (error.name === "InvalidStateError" ? already : cancelled)!;
      problem.hidden = false;
    });
  });
  if (form.dataset.passkey !== "offered" || !(await browserSupportsWebAuthnAutofill())) return;
  // It fails when the button's request replaces it, or when the user has none.
  startAuthentication({ optionsJSON, useBrowserAutofill: true }).then(send, () => {});
}
