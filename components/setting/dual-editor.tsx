"use client";

import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { Field } from "@/components/form/field";
import { cn } from "@/components/ui/class-names";
import { Segmented } from "@/components/ui/segmented";
import { Textarea } from "@/components/ui/textarea";
import type { OptionView } from "@/lib/option/types";
import { type CardEvent, type CardState, textOf } from "./card-draft";
import { FieldFrame } from "./field-frame";
import { FieldTools } from "./field-tools";
import { useOptionText } from "./option-text";

type Mode = "visual" | "json" | "both";

type DualEditorProps = {
  name: string;
  /** Options shown both as a table and as JSON. */
  views: readonly OptionView[];
  /** Options shown only in the JSON view. */
  extra?: readonly OptionView[];
  state: CardState;
  dispatch: (event: CardEvent) => void;
  children: ReactNode;
};

/** Edits the same options as a table or as JSON, or both side by side on a wide screen. */
export function DualEditor({ name, views, extra = [], state, dispatch, children }: DualEditorProps) {
  const t = useTranslations("setting");
  const [mode, setMode] = useState<Mode>("visual");
  const choices = [
    { value: "visual", label: t("visual") },
    { value: "json", label: t("json") },
    { value: "both", label: t("sideBySide"), className: "max-xl:hidden" },
  ] as const;
  const onText = (key: string, text: string) => {
    dispatch({ type: "text", key, text });
    // The rows are rebuilt from the text, so their earlier errors no longer apply.
    for (const view of views) dispatch({ type: "issue", key: view.key, message: null });
  };
  const onDefault = (view: OptionView) => dispatch({ type: "default", view });
  const all = [...views, ...extra];
  // A table of one option is what links to the option lead to, unless its JSON alone is shown.
  const tableOf = mode !== "json" && views.length === 1 ? views[0] : undefined;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Segmented
        label={t("editorOf", { name })}
        value={mode}
        choices={choices}
        onValue={setMode}
        className="self-start"
      />
      <div className={cn("grid min-w-0 gap-5", mode === "both" && "xl:grid-cols-[3fr_2fr]")}>
        {mode === "json" ? null : (
          <div className="flex min-w-0 flex-col gap-2">
            {tableOf ? <FieldFrame view={tableOf}>{children}</FieldFrame> : children}
            {views.map((view) => (
              <RefusedText key={view.key} text={state.errors[view.key]} />
            ))}
          </div>
        )}
        {mode === "visual" ? null : (
          <div className="flex min-w-0 flex-col gap-4">
            {all.map((view) => (
              <JsonField
                key={view.key}
                view={view}
                framed={view !== tableOf}
                state={state}
                onText={(text) => onText(view.key, text)}
                onDefault={() => onDefault(view)}
              />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

function RefusedText({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p className="text-destructive text-xs" role="alert">
      {text}
    </p>
  );
}

type JsonFieldProps = {
  view: OptionView;
  /** Links to the option lead here. */
  framed: boolean;
  state: CardState;
  onText: (text: string) => void;
  onDefault: () => void;
};

function JsonField({ view, framed, state, onText, onDefault }: JsonFieldProps) {
  const { label, hint } = useOptionText();
  const text = textOf(state, view);
  const field = (
    <Field
      label={label(view.key)}
      hint={hint(view.key) || undefined}
      error={state.errors[view.key]}
      aside={<FieldTools view={view} state={state} onDefault={onDefault} />}
    >
      {(control) => (
        <Textarea
          {...control}
          value={text}
          rows={Math.min(16, Math.max(5, text.split("\n").length + 1))}
          spellCheck={false}
          onChange={(event) => onText(event.target.value)}
          className="font-mono text-xs"
        />
      )}
    </Field>
  );
  return framed ? <FieldFrame view={view}>{field}</FieldFrame> : field;
}
