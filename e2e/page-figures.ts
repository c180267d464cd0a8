import type { Browser, BrowserContext, CDPSession, Page } from "@playwright/test";

/** 10 Mbit/s and 80 ms, as Chromium's network throttling takes them. */
const LINE = { offline: false, latency: 80, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

/**
 * Bytes are counted as they came over the line, with their headers; nothing that came from the cache counts. `script` is
 * what the page's own HTML names, which is all that it needs to work; `later` are scripts that come after it.
 */
export type Bytes = { html: number; script: number; later: number; style: number; other: number; requests: number };

export type Figures = {
  bytes: Bytes;
  /** Milliseconds from the start of the navigation. */
  firstPaintMs: number;
  largestPaintMs: number;
  /** When the first menu of the bar is open that was pressed as early as possible. */
  interactiveMs: number;
  /** How long tasks of the page kept the main thread beyond 50 ms each. */
  blockedMs: number;
  layoutShift: number;
};

type Watched = { interactive: number; largest: number; blocked: number; shift: number };

/** Runs in the page before its own scripts. */
function watchPage(): void {
  const seen: Watched = { interactive: 0, largest: 0, blocked: 0, shift: 0 };
  Object.assign(window, { figures: seen });
  const observe = (
    type: string,
    note: (entry: PerformanceEntry & { value: number; hadRecentInput: boolean }) => void,
  ) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) note(entry as Parameters<typeof note>[0]);
    }).observe({ type, buffered: true });
  observe("largest-contentful-paint", (entry) => {
    seen.largest = entry.startTime;
  });
  observe("longtask", (entry) => {
    seen.blocked += Math.max(0, entry.duration - 50);
  });
  observe("layout-shift", (entry) => {
    if (!entry.hadRecentInput) seen.shift += entry.value;
  });
  // Presses the first menu of the bar again and again from the moment on at which React takes it over, until it opens.
  const isTaken = (control: Element) => Object.keys(control).some((key) => key.startsWith("__reactProps$"));
  const look = () => {
    const menu = document.querySelector("header [aria-haspopup=menu]");
    if (menu?.getAttribute("aria-expanded") === "true") {
      seen.interactive = performance.now();
      return;
    }
    if (menu && isTaken(menu)) menu.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, button: 0 }));
    setTimeout(look, 10);
  };
  look();
}

/** The figures of a page's first visit with an empty cache and of a second visit, over a line of 10 Mbit/s and 80 ms. */
export async function measureVisits(
  browser: Browser,
  url: string,
  cookies: Parameters<BrowserContext["addCookies"]>[0],
): Promise<{ cold: Figures; warm: Figures }> {
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1440, height: 900 } });
  try {
    await context.addCookies(cookies);
    await context.addInitScript(watchPage);
    const page = await context.newPage();
    const line = await context.newCDPSession(page);
    await line.send("Network.enable");
    await line.send("Network.emulateNetworkConditions", LINE);
    const cold = await measureVisit(page, line, url);
    return { cold, warm: await measureVisit(page, line, url) };
  } finally {
    await context.close();
  }
}

async function measureVisit(page: Page, line: CDPSession, url: string): Promise<Figures> {
  const bytes = countBytes(line);
  const answer = await page.goto(url, { waitUntil: "load" });
  const html = (await answer?.text()) ?? "";
  await page.waitForFunction(() => (window as unknown as { figures: Watched }).figures.interactive > 0);
  await page.waitForLoadState("networkidle");
  const seen = await page.evaluate(() => ({
    ...(window as unknown as { figures: Watched }).figures,
    first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
  }));
  return {
    bytes: bytes.stop(html),
    firstPaintMs: Math.round(seen.first),
    largestPaintMs: Math.round(seen.largest),
    interactiveMs: Math.round(seen.interactive),
    blockedMs: Math.round(seen.blocked),
    layoutShift: Math.round(seen.shift * 1_000) / 1_000,
  };
}

const KINDS: Record<string, "html" | "script" | "style"> = { Document: "html", Script: "script", Stylesheet: "style" };

type Sent = { url: string; kind: "html" | "script" | "style" | "other"; bytes: number };

function countBytes(line: CDPSession): { stop: (html: string) => Bytes } {
  const sent = new Map<string, Sent>();
  const onResponse = ({
    requestId,
    type,
    response,
  }: {
    requestId: string;
    type: string;
    response: { url: string };
  }) => {
    sent.set(requestId, { url: response.url, kind: KINDS[type] ?? "other", bytes: 0 });
  };
  const onFinished = ({ requestId, encodedDataLength }: { requestId: string; encodedDataLength: number }) => {
    const one = sent.get(requestId);
    if (one) one.bytes = encodedDataLength;
  };
  line.on("Network.responseReceived", onResponse);
  line.on("Network.loadingFinished", onFinished);
  return {
    stop: (html) => {
      line.off("Network.responseReceived", onResponse);
      line.off("Network.loadingFinished", onFinished);
      return sumBytes([...sent.values()], html);
    },
  };
}

function sumBytes(sent: readonly Sent[], html: string): Bytes {
  const bytes: Bytes = { html: 0, script: 0, later: 0, style: 0, other: 0, requests: 0 };
  for (const one of sent.filter((each) => each.bytes > 0)) {
    const isLater = one.kind === "script" && !html.includes(new URL(one.url).pathname.split("/").at(-1) ?? one.url);
    bytes[isLater ? "later" : one.kind] += one.bytes;
    bytes.requests += 1;
  }
  return bytes;
}
