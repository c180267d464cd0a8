"use client";

import { useTranslations } from "next-intl";
import { LIMIT_NAMES } from "@/lib/time-limits";
import { EditableRows } from "./editable-rows";
import { fallbackEditor, modelLimitEditor } from "./failover-rows";
import { OptionTable, type OptionTableProps } from "./option-table";
import { useRows } from "./use-rows";

const NO_LIMITS = Object.fromEntries(LIMIT_NAMES.map((limit) => [limit, ""]));

export function ModelLimitFields(props: OptionTableProps) {
  const t = useTranslations("setting");
  const limit = useTranslations("timeLimit.name");
  const rows = useRows(modelLimitEditor, [props.view], props.state, props.dispatch);
  const limits = LIMIT_NAMES.map(
    (id) => ({ id, header: limit(id), kind: "number", width: "minmax(3rem,1fr)" }) as const,
  );
  const columns = [{ id: "name", header: t("limitsModel"), width: "minmax(8rem,2fr)" }, ...limits];
  return (
    <OptionTable {...props}>
      <EditableRows rows={rows} columns={columns} blank={{ name: "", ...NO_LIMITS }} addLabel={t("addModel")} />
    </OptionTable>
  );
}

export function FallbackFields(props: OptionTableProps) {
  const t = useTranslations("setting");
  const rows = useRows(fallbackEditor, [props.view], props.state, props.dispatch);
  const models = { id: "models", header: t("fallbackModels"), placeholder: "gpt-4.1, claude-sonnet-4" };
  const columns = [
    { id: "name", header: t("fallbackModel"), width: "minmax(8rem,1fr)" },
    { ...models, width: "minmax(10rem,3fr)" },
  ];
  return (
    <OptionTable {...props}>
      <EditableRows rows={rows} columns={columns} blank={{ name: "", models: "" }} addLabel={t("addModel")} />
    </OptionTable>
  );
}
