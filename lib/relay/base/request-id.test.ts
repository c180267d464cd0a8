import { expect, test } from "vitest";
import { createRequestId } from "./request-id";

test("a request id is a UUID of version 7 that says when it was made", () => {
  const now = Date.UTC(2026, 10, 21, 12, 34, 56, 789);
  const id = createRequestId(now);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(now);
});

test("ids of one moment differ, and those of later moments are greater", () => {
  const now = Date.now();
  const ids = Array.from({ length: 1_000 }, () => createRequestId(now));
  expect(new Set(ids).size).toBe(ids.length);
  const later = createRequestId(now + 1);
  expect(ids.every((id) => id < later)).toBe(true);
});
