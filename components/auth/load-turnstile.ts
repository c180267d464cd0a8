type RenderOptions = {
  sitekey: string;
  theme: "light" | "dark";
  language: string;
  size: "flexible";
  callback: (token: string) => void;
  "expired-callback": () => void;
  "error-callback": () => void;
};

/** The global API of the Cloudflare Turnstile script (or of a compatible service). */
type TurnstileApi = {
  render: (place: HTMLElement, options: RenderOptions) => string;
  reset: (id: string) => void;
  remove: (id: string) => void;
};

const page = globalThis as typeof globalThis & { turnstile?: TurnstileApi };
let loading: Promise<TurnstileApi> | null = null;

/** Loads the script once per page. A failed load is not cached, so it can be retried. */
export function loadTurnstile(url: string): Promise<TurnstileApi> {
  loading ??= insertScript(url).catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

function insertScript(url: string): Promise<TurnstileApi> {
  if (page.turnstile) return Promise.resolve(page.turnstile);
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.async = true;
    // The content security policy allows only scripts with the nonce of this page.
    script.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
    script.onload = () => (page.turnstile ? resolve(page.turnstile) : reject(new Error("the script defined nothing")));
    script.onerror = () => {
      script.remove();
      reject(new Error("the script could not be loaded"));
    };
    document.head.append(script);
  });
}
