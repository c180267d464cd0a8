// Who: makers that answer oddly, and callers who ask for more than they pay for.
// What must hold: what is charged is what was made, and nobody pays for what was not.
import { expect, test } from "vitest";
import { quotaFor, setUpVideos } from "../videos-harness";

const { relay, ask, rowsOf, poll } = setUpVideos();
const PNG = `iVBORw0KGgo${"A".repeat(80)}`;

test.each(["sora-t", "kling-t"])("%s: a task that has failed when it is submitted is not charged", async (model) => {
  relay.makers.fate = { polls: 0, end: "failed at once" };
  const { user, token } = await relay.addCaller();
  const { status } = await ask(token.key, "/v1/video/generations", {
    model,
    prompt: "x",
    duration: 4,
    size: "1280x720",
  });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(await rowsOf(user)).toEqual([]);
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
});

test("a video from its last picture alone is asked about where it was submitted", async () => {
  const { user, token } = await relay.addCaller();
  const body = { model: "kling-t", prompt: "x", duration: 5, size: "1280x720", metadata: { image_tail: PNG } };
  expect((await ask(token.key, "/v1/video/generations", body)).status).toBe(200);
  await poll();
  expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS", action: "image2video", quota: quotaFor(5) }]);
});

test("a length that no video has, such as one in milliseconds, changes no charge", async () => {
  relay.makers.fate = { polls: 0, end: "done", seconds: 8_000 };
  const { user, token } = await relay.addCaller();
  const body = { model: "sora-t", prompt: "x", duration: 8, size: "1280x720" };
  expect((await ask(token.key, "/v1/video/generations", body)).status).toBe(200);
  await poll();
  expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS", quota: quotaFor(8) }]);
});
