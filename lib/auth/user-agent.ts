/** Names for display, not translated; "" where unknown. */
export type Device = { browser: string; system: string };

// The first match wins: most browsers also claim to be others.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera|OPiOS)\//, "Opera"],
  [/\bMicroMessenger\//, "WeChat"],
  [/\bQQBrowser\//, "QQ Browser"],
  [/\b(?:HuaweiBrowser)\//, "Huawei Browser"],
  [/\b(?:SamsungBrowser)\//, "Samsung Internet"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bYaBrowser\//, "Yandex Browser"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
  [/^python-|^Python\//, "Python"],
  [/^node|^undici/, "Node.js"],
  [/^Go-http-client\//, "Go"],
  [/^PostmanRuntime\//, "Postman"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bHarmonyOS\b|\bOpenHarmony\b/, "HarmonyOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

function firstFit(names: readonly (readonly [RegExp, string])[], text: string): string {
  return names.find(([pattern]) => pattern.test(text))?.[1] ?? "";
}

/** Browser and operating system of a User-Agent header. */
export function readUserAgent(userAgent: string): Device {
  return { browser: firstFit(BROWSERS, userAgent), system: firstFit(SYSTEMS, userAgent) };
}

/** Both names on one line; "?" when both are unknown. */
export function deviceName({ browser, system }: Device): string {
  return [browser, system].filter((part) => part !== "").join(" · ") || "?";
}
