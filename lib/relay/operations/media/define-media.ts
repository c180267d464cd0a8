import { priceUsage } from "@/lib/billing/price";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { refuseDearOptions } from "../../wire/dialects/common/option-rule";
import { checkForm, readJson } from "../chat/read-json";
import type { Call, Operation, OperationTest } from "../operation";
import { refused } from "../operation";
import { jsonOf, MediaIntake } from "./media-intake";
import type { MediaKind, MediaRequest, MediaSource, MediaTest } from "./media-kind";

/** How the bodies of an operation may come. */
export type Takes = { json: boolean; form: boolean };

export function mediaOperation<Request extends MediaRequest>(kind: MediaKind<Request>, takes: Takes): Operation {
  const intakeOf = (call: Call, source: MediaSource): MediaIntake<Request> | Promise<MediaIntake<Request>> => {
    try {
      refuseDearOptions(kind.options ?? [], jsonOf(source), call.allowedOptions);
      const request = kind.read(source, call);
      if (!(request instanceof Promise)) return new MediaIntake(kind, call, source, request);
      return request.then(
        (read) => new MediaIntake(kind, call, source, read),
        (error: unknown) => {
          throw refused(error, call);
        },
      );
    } catch (error) {
      throw refused(error, call);
    }
  };
  const { test } = kind;
  const read: Operation["read"] = (body, call) => {
    const read = readJson(body, call);
    if (!takes.json) throw refused(onlyForms(), call);
    const intake = intakeOf(call, read);
    if (intake instanceof Promise) throw new Error("a JSON body is read at once");
    return intake;
  };
  const readForm: Operation["readForm"] = (form, call) => {
    checkForm(form, call);
    return intakeOf(call, { form });
  };
  return {
    id: kind.operation,
    endpoints: kind.paths.map((path) => ({ method: "POST", path, clientDialect: kind.clientDialect })),
    read,
    ...(test ? { test: testOf(test, read) } : {}),
    ...(takes.form ? { readForm } : {}),
    charge: priceUsage,
  };
}

function onlyForms(): InvalidRequest {
  return new InvalidRequest("the request body must be multipart/form-data");
}

function testOf({ json, ...test }: MediaTest, read: Operation["read"]): OperationTest {
  const asked = (model: string): Buffer => Buffer.from(JSON.stringify({ model, ...json }));
  return { ...test, read: (model, call) => read(asked(model), call) };
}
