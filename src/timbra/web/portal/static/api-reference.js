// The page /docs/api/: Swagger UI with the OpenAPI document of this server.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const showScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", showScheme);
showScheme();

addEventListener("DOMContentLoaded", () => {
  SwaggerUIBundle({
    url: "../../openapi.json",
    dom_id: "#operations",
    deepLinking: true,
    defaultModelsExpandDepth: -1,
    docExpansion: "list",
    filter: true,
    validatorUrl: null,
  });
});
