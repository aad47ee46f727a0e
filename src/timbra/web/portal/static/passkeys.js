// Forms with data-passkey: the authenticator answers before the form is sent. Without support they stay hidden.
const CALLS = {
  create: (options) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  get: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
};
const isSupported = typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === "function";
for (const form of isSupported ? document.querySelectorAll("form[data-passkey]") : []) {
  form.hidden = false;
  const button = form.querySelector("button");
  const problem = form.querySelector("[role=alert]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.hidden = true;
    try {
      const credential = await CALLS[form.dataset.passkey](JSON.parse(form.dataset.options));
      form.elements.answer.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch (error) {
      button.disabled = false;
      problem.textContent = error.name === "InvalidStateError" ? "Esa llave ya está registrada." : "No se usó ninguna llave.";
      problem.hidden = false;
    }
  });
}
