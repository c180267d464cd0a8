import { readArray, readObject } from "../wire/canonical/json";
import type { Operation, OperationTest } from "./operation";

/** What a test asks whose request and answer are JSON. */
export type JsonTest = Pick<OperationTest, "path" | "models"> & {
  /** The request without the model's name. */
  json: (model: string) => object;
  /** The list that an answer is not without. */
  answerKey: string;
};

export function jsonTest(read: Operation["read"], { path, models, json, answerKey }: JsonTest): OperationTest {
  return {
    path,
    models,
    read: (model, call) => read(Buffer.from(JSON.stringify({ model, ...json(model) })), call),
    isAnswer: (whole) => readArray(readObject(parse(whole))[answerKey]).length > 0,
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}
