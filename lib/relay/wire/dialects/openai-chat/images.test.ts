import { expect, test } from "vitest";
import { imageUrls, withImages } from "./images";

const picture = (url: string) => ({ type: "image_url", image_url: { url, detail: "low" } });
const chat = (...parts: unknown[]) => ({
  model: "m",
  messages: [
    { role: "system", content: "s" },
    { role: "user", content: [{ type: "text", text: "look" }, ...parts] },
  ],
});

test("pictures are put in place of their addresses, what is inline already stays", () => {
  const inline = "data:image/gif;base64,AA==";
  const url = "https://weir.example/a.png";
  const given = chat(picture(url), null, { type: "image_url", image_url: url }, picture(inline));
  expect(imageUrls(given)).toEqual([url, url]);
  const data = "data:image/png;base64,cG5n";
  const done = withImages(given, new Map([[url, data]]));
  expect(done).toEqual(chat(picture(data), null, { type: "image_url", image_url: { url: data } }, picture(inline)));
  expect(imageUrls(done)).toEqual([]);
  expect(imageUrls(given)).toHaveLength(2);
});

test("a request without messages or with odd ones has no pictures", () => {
  for (const odd of [{}, { messages: 1 }, { messages: [null, { content: "x" }, { content: [1] }] }]) {
    expect(imageUrls(odd)).toEqual([]);
  }
});
