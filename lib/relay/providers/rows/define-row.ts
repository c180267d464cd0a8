import { bearer } from "../auth";
import type { UpstreamRow } from "../channel-type";
import { type EditorFields, USUAL_FIELDS } from "../editor-fields";
import { openaiModels } from "../model-lists";
import { samePath } from "../urls";

type Usual = "url" | "auth" | "quirks" | "serves" | "models" | "test" | "balance" | "modelList";

type RowValues = Omit<UpstreamRow, Usual | "name" | "editor"> &
  Partial<Pick<UpstreamRow, Usual>> & {
    /** A string when both languages use the same name. */
    name: string | UpstreamRow["name"];
    editor?: Partial<EditorFields>;
  };

/** Fills in the defaults for missing fields. */
export function defineRow({ name, editor, ...values }: RowValues): UpstreamRow {
  return {
    url: samePath,
    auth: bearer,
    quirks: {},
    serves: {},
    models: null,
    test: "chat",
    balance: null,
    modelList: openaiModels("/v1/models"),
    ...values,
    name: typeof name === "string" ? { en: name, zh: name } : name,
    editor: {
      ...USUAL_FIELDS,
      example: values.baseUrl,
      hasOrganization: values.quirks?.sendsOrganization === true,
      ...editor,
    },
  };
}

/** A row for a service with OpenAI's chat completions. */
export function openaiLike(values: Omit<RowValues, "dialect"> & Partial<Pick<RowValues, "dialect">>): UpstreamRow {
  return defineRow({ dialect: "openai-chat", ...values });
}
