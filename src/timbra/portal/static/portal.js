// Requests of htmx carry the proof that this page made them.
document.addEventListener("htmx:config:request", (event) => {
  const proof = document.querySelector('meta[name="proof"]');
  if (proof) event.detail.ctx.request.headers["X-Proof"] = proof.content;
});
// Where there are scripts, what must be copied has a button.
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
