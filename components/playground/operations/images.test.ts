import { expect, test } from "vitest";
import type { Answer } from "./call-operation";
import { isPictureAddress, type Picture, readPictures, toEditForm, toImageBody } from "./images";
import { toOperationCode } from "./operation-code";

const PNG = "iVBORw0KGgo=";
const JPEG = "/9j/4AAQ";
const unset = { size: "", quality: "", count: "", partials: "", format: "" };
const json = (data: unknown): Answer => ({ kind: "json", requestId: "r", json: { data } });

async function* eventsOf(list: { event: string; json: Record<string, unknown> }[]) {
  for (const one of list) yield { ...one, data: "" };
}

test("only parameters that are set are sent; sketches are asked for by a stream", () => {
  expect(toImageBody("m", "p", unset, { count: undefined, partials: undefined })).toEqual({ model: "m", prompt: "p" });
  const set = { size: " 1024x1024 ", quality: "high", count: "2", partials: "1", format: "webp" };
  expect(toImageBody("m", "p", set, { count: 2, partials: 1 })).toEqual({
    model: "m",
    prompt: "p",
    n: 2,
    size: "1024x1024",
    quality: "high",
    output_format: "webp",
    stream: true,
    partial_images: 1,
  });
});

test("a picture to change is sent beside the same fields, and the sample code says how", () => {
  const body = { model: "m", prompt: "p", n: 2, stream: true };
  const form = toEditForm(body, new File(["x"], "weir.png", { type: "image/png" }));
  expect([...form.keys()]).toEqual(["model", "prompt", "n", "stream", "image"]);
  expect(form.get("n")).toBe("2");
  expect((form.get("image") as File).name).toBe("weir.png");
  const sample = { operation: "edits", baseUrl: "https://weir.example/v1", body, fileName: "weir.png" } as const;
  expect(toOperationCode("curl", sample)).toContain("-F 'image=@weir.png'");
  expect(toOperationCode("python", sample)).toMatch(/images\.edit\(\n {4}image=open\("weir.png", "rb"\),/);
  expect(toOperationCode("typescript", sample)).toContain('image: createReadStream("weir.png")');
});

test("pictures come as files and as addresses, with the prompt as it was understood", async () => {
  const data = [{ b64_json: JPEG, revised_prompt: "a cat" }, { url: "https://pictures.example/1.png" }];
  const [first, second] = await readPictures(json(data), "none", () => {});
  expect(first).toMatchObject({ url: "", revised: "a cat", kind: "whole" });
  expect(first?.blob?.type).toBe("image/jpeg");
  expect(second).toMatchObject({ blob: null, url: "https://pictures.example/1.png" });
});

test("an address that is no picture's is not shown, and an answer without pictures is an error", async () => {
  for (const url of ["javascript:alert(1)", "data:text/html,x", "//x", ""]) expect(isPictureAddress(url)).toBe(false);
  for (const data of [[], "x", [{ url: "javascript:alert(1)" }], [{ b64_json: "§" }]])
    await expect(readPictures(json(data), "none", () => {})).rejects.toMatchObject({ message: "none", requestId: "r" });
});

test("sketches of a stream are shown until the picture is there", async () => {
  const seen: Picture["kind"][][] = [];
  const events = eventsOf([
    { event: "image_generation.partial_image", json: { type: "image_generation.partial_image", b64_json: PNG } },
    { event: "image_generation.partial_image", json: { b64_json: PNG } },
    { event: "image_generation.completed", json: { type: "image_generation.completed", b64_json: PNG } },
  ]);
  const pictures = await readPictures({ kind: "events", requestId: null, events }, "none", (some) =>
    seen.push(some.map(({ kind }) => kind)),
  );
  expect(seen).toEqual([["partial"], ["partial"], ["whole"]]);
  expect(pictures.map(({ kind }) => kind)).toEqual(["whole"]);
});
