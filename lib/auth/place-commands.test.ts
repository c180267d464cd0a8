import { expect, test } from "vitest";
import { networkOf, placeHash } from "./place-commands";
import { deviceName, readUserAgent } from "./user-agent";

test.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["::ffff:203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:1:2:3::4", "2001:db8:1::/48"],
  ["not an address", ""],
  ["", ""],
])("a network is the /24 or the /48 of an address: %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test("a place is browser, system and network of one account; versions and the last byte do not matter", () => {
  const chrome = (version: number) => `Mozilla/5.0 (X11; Linux x64) Chrome/${version}.0 Safari/537.36`;
  const here = { userId: 1, clientIp: "203.0.113.7", userAgent: chrome(140) };
  const hash = placeHash(here);
  expect(placeHash({ ...here, clientIp: "203.0.113.8", userAgent: chrome(141) })).toBe(hash);
  const elsewhere = [{ userId: 2 }, { clientIp: "203.0.114.7" }, { userAgent: "Firefox/144.0" }];
  for (const change of elsewhere) expect(placeHash({ ...here, ...change })).not.toBe(hash);
});

test.each([
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0",
    "Edge · Windows",
  ],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox · macOS"],
  ["Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1", "Safari · iPad"],
  ["Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/141.0 Mobile Safari/537.36", "Chrome · Android"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/141.0 Mobile/15E148 Safari/604.1", "Chrome · iPhone"],
  ["Mozilla/5.0 (Linux; Android 14) Chrome/120.0 MicroMessenger/8.0.50", "WeChat · Android"],
  ["curl/8.5.0", "curl"],
  ["", "?"],
  ["\u0000<script>", "?"],
])("a browser is named in words: %s", (userAgent, name) => {
  expect(deviceName(readUserAgent(userAgent))).toBe(name);
});
