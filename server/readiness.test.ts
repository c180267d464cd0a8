import { expect, test } from "vitest";
import { createReadiness } from "./readiness";

test("a process is ready once it has started and no check objects, and never again once it drains", () => {
  const readiness = createReadiness();
  let isFull = false;
  readiness.check(() => (isFull ? "full" : null));
  expect(readiness.reason()).toBe("starting");
  readiness.started();
  expect(readiness.reason()).toBeNull();
  isFull = true;
  expect(readiness.reason()).toBe("full");
  readiness.draining();
  readiness.started();
  expect(readiness.reason()).toBe("draining");
});
