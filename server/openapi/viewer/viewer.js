// Starts swagger-ui with our document, in the browser's light or dark theme.

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();

const viewer = SwaggerUIBundle({
  url: "openapi.json",
  domNode: document.getElementById("viewer"),
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // The validator would send the document to a third party.
  validatorUrl: null,
  // The page may be open under a different name than PUBLIC_URL, such as 127.0.0.1, and may only send requests there.
  requestInterceptor: (request) => {
    const { pathname, search } = new URL(request.url, location.href);
    return Object.assign(request, { url: pathname + search });
  },
  oauth2RedirectUrl: new URL("openapi/oauth2-redirect.html", location.href).href,
});
viewer.initOAuth({ usePkceWithAuthorizationCodeGrant: true });
