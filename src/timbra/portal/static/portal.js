// Requests of htmx carry the proof that this page made them.
document.addEventListener("htmx:config:request", (event) => {
  const proof = document.querySelector('meta[name="proof"]');
  if (proof) event.detail.ctx.request.headers["X-Proof"] = proof.content;
});
