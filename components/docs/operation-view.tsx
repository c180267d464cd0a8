"use client";

import { ChevronRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Badge, type Hue } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import { CodeBlock } from "@/components/ui/code-block";
import type { JsonSchema, Operation } from "@/lib/http/openapi/types";
import { toCurl } from "./curl";
import { type FieldRow, fieldsOf, typeText } from "./schema-text";

export type ListedOperation = { method: string; path: string; operation: Operation };

type OperationViewProps = ListedOperation & {
  named: Record<string, JsonSchema>;
  baseUrl: string;
  userId: number;
};

const METHOD_HUES: Record<string, Hue> = { GET: "blue", POST: "green", PUT: "orange", DELETE: "red" };

/** One call: what it is for, and when opened what it takes and how it is sent. */
export function OperationView(props: OperationViewProps) {
  const { method, path, operation } = props;
  const t = useTranslations("docs");
  const [open, setOpen] = useState(false);
  return (
    <div id={operation.operationId} className="border-b last:border-b-0">
      <h3>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-left font-normal hover:bg-muted/50"
        >
          <ChevronRight
            aria-hidden
            className={cn("size-4 shrink-0 text-muted-foreground transition-transform", open && "rotate-90")}
          />
          <Badge hue={METHOD_HUES[method] ?? "grey"} className="w-16 justify-center font-mono">
            {method}
          </Badge>
          <code className="break-all font-mono text-[0.8125rem]">{path}</code>
          <span className="min-w-0 flex-1 text-muted-foreground max-sm:basis-full">{operation.summary}</span>
          <Badge>{t(`access.${operation["x-access"]}`)}</Badge>
        </button>
      </h3>
      {open ? <OperationDetail {...props} /> : null}
    </div>
  );
}

function OperationDetail({ method, path, operation, named, baseUrl, userId }: OperationViewProps) {
  const t = useTranslations("docs");
  const parameters = (operation.parameters ?? []).map(
    (parameter): FieldRow => ({
      name: parameter.in === "path" ? `{${parameter.name}}` : parameter.name,
      type: typeText(parameter.schema, named),
      required: parameter.required,
    }),
  );
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const curl = toCurl({ baseUrl, method, path, operation, userId }, named);
  return (
    <div className="flex flex-col gap-4 px-4 pt-1 pb-4 md:pl-11">
      {parameters.length > 0 ? <Fields title={t("parameters")} rows={parameters} /> : null}
      {schema ? <Fields title={t("body")} rows={fieldsOf(schema, named)} /> : null}
      <div>
        <div className="mb-1 flex items-center justify-between gap-3">
          <h4 className="font-medium text-sm">{t("example")}</h4>
          <CopyButton variant="ghost" size="icon" aria-label={t("copyExample", { path })} text={curl} />
        </div>
        <CodeBlock>{curl}</CodeBlock>
      </div>
    </div>
  );
}

function Fields({ title, rows }: { title: string; rows: readonly FieldRow[] }) {
  const t = useTranslations("docs");
  if (rows.length === 0) return <p className="text-muted-foreground">{t("freeBody")}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left text-xs">
        <caption className="pb-1 text-left font-medium text-sm">{title}</caption>
        <thead className="text-muted-foreground">
          <tr>
            <th scope="col" className="py-1 pr-4 font-medium">
              {t("field")}
            </th>
            <th scope="col" className="py-1 pr-4 font-medium">
              {t("type")}
            </th>
            <th scope="col" className="py-1 font-medium">
              {t("required")}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className="border-t">
              <td className="py-1.5 pr-4 font-mono">{row.name}</td>
              <td className="py-1.5 pr-4 font-mono text-muted-foreground">{row.type}</td>
              <td className="py-1.5">{row.required ? t("yes") : t("no")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
