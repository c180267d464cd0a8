import { priceUsage } from "@/lib/billing/price";
import { refuseDearOptions } from "../../wire/dialects/common/option-rule";
import { storedIds } from "../../wire/dialects/common/stored-ids";
import { readJson } from "../chat/read-json";
import type { Call, Intake, Operation } from "../operation";
import { refused } from "../operation";
import { jsonTest } from "../operation-test";
import { refuseOtherModels } from "./document-fields";
import type { CallerDocument, DocumentKind, DocumentRequest } from "./document-format";
import { DocumentIntake } from "./document-intake";

/** An operation whose requests are answered with one document. */
export function documentOperation<Request extends DocumentRequest, Result>(
  kind: DocumentKind<Request, Result>,
  documents: readonly CallerDocument<Request, Result>[],
): Operation {
  const read = (body: Buffer, call: Call): Intake => {
    const document = documentOf(documents, call);
    const { json, bytes } = readJson(body, call);
    try {
      refuseDearOptions(document.clientDialect.options, json, call.allowedOptions);
      refuseOtherModels(json);
      const request = document.read(json, call);
      const given = document.rename(json, request.model);
      const isNamed = Object.keys(given).length === 0;
      const references = storedIds(json, call.clientDialect.names);
      const parts = { kind, document, call, json: isNamed ? json : { ...json, ...given }, request, references };
      return new DocumentIntake(parts, isNamed ? bytes : null);
    } catch (error) {
      throw refused(error, call);
    }
  };
  return {
    id: kind.operation,
    endpoints: documents.flatMap(({ paths, clientDialect }) =>
      paths.map((path) => ({ method: "POST", path, clientDialect })),
    ),
    read,
    charge: priceUsage,
    test: jsonTest(read, kind.test),
  };
}

function documentOf<Request, Result>(
  documents: readonly CallerDocument<Request, Result>[],
  { path }: Pick<Call, "path">,
): CallerDocument<Request, Result> {
  const found = documents.find(({ paths }) =>
    paths.some((known) => (typeof known === "string" ? known === path : known.test(path))),
  );
  if (!found) throw new Error(`no format has the path ${path}`);
  return found;
}
