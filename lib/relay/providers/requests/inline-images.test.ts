import { expect, test } from "vitest";
import { RelayError } from "../../base/relay-error";
import { openaiChat } from "../../wire/dialects/openai-chat";
import { type FetchImage, imageFetcher, inlineImages } from "./inline-images";

const { imageUrls, withImages } = openaiChat.upstream;

const picture = (url: string) => ({ type: "image_url", image_url: { url, detail: "low" } });
const chat = (...parts: object[]) => ({
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "look" }, ...parts] }],
});

test("a remote picture is written into the request, once fetched however often it is named", async () => {
  const asked: string[] = [];
  const fetchOne: FetchImage = async (url) => {
    asked.push(url);
    return { type: "image/png", bytes: Buffer.from("png") };
  };
  const inline = "data:image/gif;base64,AA==";
  const given = chat(picture("https://weir.example/a.png"), picture("https://weir.example/a.png"), picture(inline));
  expect(imageUrls(given)).not.toEqual([]);
  const done = withImages(given, await inlineImages(imageUrls(given), fetchOne));
  const data = "data:image/png;base64,cG5n";
  const content = [{ type: "text", text: "look" }, picture(data), picture(data), picture(inline)];
  expect(done).toEqual({ model: "m", messages: [{ role: "user", content }] });
  expect(asked).toHaveLength(1);
  expect(imageUrls(done)).toEqual([]);
  expect(imageUrls(given)).not.toEqual([]);
});

test("what lies on a private network is not fetched for a caller", async () => {
  for (const url of ["http://127.0.0.1:1/a.png", "http://169.254.169.254/latest", "http://[::1]/"]) {
    const refusal = await inlineImages(imageUrls(chat(picture(url))), imageFetcher(null)).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(RelayError);
    expect(refusal).toMatchObject({ status: 400, wire: { code: "invalid_image_url" } });
  }
});

test("a request cannot make us fetch without end", async () => {
  const many = Array.from({ length: 17 }, (_, i) => picture(`https://weir.example/${i}`));
  await expect(inlineImages(imageUrls(chat(...many)), imageFetcher(null))).rejects.toMatchObject({ status: 400 });
  const limits: number[] = [];
  const large: FetchImage = async (_url, maxBytes) => {
    limits.push(maxBytes);
    return { type: "image/png", bytes: Buffer.alloc(maxBytes) };
  };
  const three = [1, 2, 3].map((i) => picture(`https://weir.example/${i}`));
  await inlineImages(imageUrls(chat(...three)), large);
  expect(limits).toEqual([20 * 1_048_576, 20 * 1_048_576, 0]);
});

test("no more than so many pictures are fetched at once for one user, and each is counted before it is asked for", async () => {
  const ends: (() => void)[] = [];
  const slow: FetchImage = (_url, _maxBytes, reserve) => {
    reserve(10);
    return new Promise((done) => ends.push(() => done({ type: "image/png", bytes: Buffer.from("png") })));
  };
  let reserved = 0;
  const add = (bytes: number): void => {
    reserved += bytes;
  };
  const share = { add };
  const holder = (id: number) => ({ share, owner: { user: { id } }, pictures: null });
  const urls = ["https://weir.example/a"];
  const running = Array.from({ length: 16 }, () => inlineImages(urls, slow, holder(1)));
  expect(reserved).toBe(16 * 60);
  await expect(inlineImages(urls, slow, holder(1))).rejects.toMatchObject({ status: 429, retryAfter: 2 });
  const ofOther = inlineImages(urls, slow, holder(2));
  for (const end of ends) end();
  await Promise.all([...running, ofOther]);
  const next = inlineImages(urls, slow, holder(1));
  ends.at(-1)?.();
  expect((await next).size).toBe(1);
});

test("a request that is sent to several channels fetches its pictures once", async () => {
  let asked = 0;
  const one: FetchImage = async () => {
    asked += 1;
    return { type: "image/png", bytes: Buffer.from("png") };
  };
  const holder = { share: null, owner: null, pictures: null };
  const urls = ["https://weir.example/a"];
  const both = await Promise.all([inlineImages(urls, one, holder), inlineImages(urls, one, holder)]);
  expect([...both, await inlineImages(urls, one, holder)].map((found) => found.get(urls[0] ?? ""))).toEqual(
    Array.from({ length: 3 }, () => "data:image/png;base64,cG5n"),
  );
  expect(asked).toBe(1);
});
