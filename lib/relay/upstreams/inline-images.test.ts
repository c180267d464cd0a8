import { expect, test } from "vitest";
import { openaiChat } from "../dialects/openai-chat";
import { RelayError } from "../relay-error";
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
