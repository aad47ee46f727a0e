// Requests of htmx carry the CSRF token of the page in a header.
document.addEventListener("htmx:config:request", (event) => {
  const token = document.querySelector('meta[name="csrf-token"]');
  if (token) event.detail.ctx.request.headers["X-CSRF-Token"] = token.content;
});
// With JavaScript, a text that the user must copy has a button.
for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    source.select();
    if (navigator.clipboard) await navigator.clipboard.writeText(source.value);
    else document.execCommand("copy");
    button.textContent = "Copiado";
  });
}
