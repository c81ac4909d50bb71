// Starts swagger-ui on our document, in the light or dark colours that the browser asks for.

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
  // It would send the document to a stranger.
  validatorUrl: null,
  // The page may stand open under another name than PUBLIC_URL, such as 127.0.0.1, and may ask only where it came from.
  requestInterceptor: (request) => {
    const { pathname, search } = new URL(request.url, location.href);
    return Object.assign(request, { url: pathname + search });
  },
  oauth2RedirectUrl: new URL("openapi/oauth2-redirect.html", location.href).href,
});
viewer.initOAuth({ usePkceWithAuthorizationCodeGrant: true });
