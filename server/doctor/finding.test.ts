import { expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { messageOf } from "./finding";

test("doctor says in words why a call to the outside failed", () => {
  const error = new AppError("upstream", "egressUnknownHost", { host: "api.openai.com" });
  expect(messageOf(error)).toBe("The host api.openai.com could not be found");
});

test("doctor prints no password of an address in an error", () => {
  expect(messageOf(new Error("cannot reach postgres://weir:secret@db/weir"))).toBe("cannot reach postgres://…@db/weir");
});
