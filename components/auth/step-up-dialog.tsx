"use client";

import { KeyRound, LoaderCircle } from "lucide-react";
import { useTranslations } from "next-intl";
import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { Field } from "@/components/form/field";
import { useRunAction } from "@/components/form/use-run-action";
import { StepUpContext } from "@/components/form/use-step-up";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import type { FactorKind } from "@/lib/auth/factor-queries";
import type { ActionResult } from "@/lib/http/action";
import { PasswordInput } from "./password-input";
import {
  finishPasskeyStepUp,
  signInAgain,
  startPasskeyStepUp,
  stepUpByCode,
  stepUpByPassword,
  stepUpKinds,
} from "./step-up-actions";
import { usePasskey } from "./use-passkey";

/** Provides `useStepUp` with one dialog for all actions that need a proof. */
export function StepUpProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const settle = useRef<((proved: boolean) => void) | null>(null);
  const ask = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        // When two actions ask at once, the earlier one gets "not proved".
        settle.current?.(false);
        settle.current = resolve;
        setOpen(true);
      }),
    [],
  );
  const close = useCallback((proved: boolean) => {
    setOpen(false);
    settle.current?.(proved);
    settle.current = null;
  }, []);
  return (
    <StepUpContext value={ask}>
      {children}
      {open ? <StepUpDialog onDone={() => close(true)} onCancel={() => close(false)} /> : null}
    </StepUpContext>
  );
}

type StepUpDialogProps = { onDone: () => void; onCancel: () => void };

function StepUpDialog({ onDone, onCancel }: StepUpDialogProps) {
  const t = useTranslations("security.stepUp");
  const [kinds, setKinds] = useState<FactorKind[] | null>(null);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let left = false;
    stepUpKinds({})
      .then((result) => {
        if (left) return;
        if (result.ok) setKinds(result.data);
        else setProblem(result.message);
      })
      .catch(() => {
        if (!left) setProblem(t("requestFailed"));
      });
    return () => {
      left = true;
    };
  }, [t]);
  return (
    <Modal open onClose={onCancel} title={t("title")} description={t("text")}>
      {problem ? (
        <p role="alert" className="text-destructive">
          {problem}
        </p>
      ) : kinds === null ? (
        <p role="status" className="flex items-center gap-2 text-muted-foreground">
          <LoaderCircle className="size-4 animate-spin" aria-hidden />
          {t("loading")}
        </p>
      ) : kinds.length === 0 ? (
        <SignInAgain />
      ) : (
        <ProofForm kinds={kinds} onDone={onDone} />
      )}
    </Modal>
  );
}

/** For accounts without any factor to confirm with. */
function SignInAgain() {
  const t = useTranslations("security.stepUp");
  const { pending, run } = useRunAction();
  return (
    <div className="flex flex-col gap-3">
      <p>{t("signInAgainText")}</p>
      <Button variant="primary" size="md" pending={pending} onClick={() => run(signInAgain)}>
        {t("signInAgain")}
      </Button>
    </div>
  );
}

type ProofFormProps = { kinds: FactorKind[]; onDone: () => void };

function ProofForm({ kinds, onDone }: ProofFormProps) {
  const t = useTranslations("security.stepUp");
  const { pending, problem, byTyping, byPasskey, clear } = useProof(onDone);
  const [typed, setTyped] = useState<TypedProof>(kinds.includes("password") ? "password" : "totp");
  const canType = kinds.includes("password") || kinds.includes("totp");
  const other = typed === "password" ? "totp" : "password";
  const onSwitch = () => {
    setTyped(other);
    clear();
  };
  return (
    <div className="flex flex-col gap-3">
      {canType ? (
        <TypedProofForm
          key={typed}
          typed={typed}
          problem={problem}
          pending={pending}
          onSubmit={(text) => byTyping(typed, text)}
        />
      ) : problem ? (
        <p role="alert" className="text-destructive text-sm">
          {problem}
        </p>
      ) : null}
      {kinds.includes("passkey") ? (
        <Button size="md" onClick={byPasskey} pending={pending === "passkey"} disabled={pending !== null}>
          {pending === "passkey" ? null : <KeyRound />}
          {t("byPasskey")}
        </Button>
      ) : null}
      {kinds.includes(other) && canType ? (
        <Button variant="ghost" onClick={onSwitch}>
          {t(other === "totp" ? "byCode" : "byPassword")}
        </Button>
      ) : null}
    </div>
  );
}

type TypedProof = "password" | "totp";
type Pending = "typed" | "passkey" | null;
type TypedProofFormProps = {
  typed: TypedProof;
  problem: string | undefined;
  pending: Pending;
  onSubmit: (text: string) => void;
};

function TypedProofForm({ typed, problem, pending, onSubmit }: TypedProofFormProps) {
  const t = useTranslations("security.stepUp");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(String(new FormData(event.currentTarget).get("proof") ?? ""));
  };
  return (
    <form method="post" noValidate onSubmit={submit} className="flex flex-col gap-3">
      <Field
        label={t(typed === "password" ? "password" : "code")}
        hint={typed === "totp" ? t("codeHint") : undefined}
        error={problem}
      >
        {(control) =>
          typed === "password" ? (
            <PasswordInput {...control} name="proof" autoComplete="current-password" autoFocus />
          ) : (
            <Input {...control} name="proof" autoComplete="one-time-code" spellCheck={false} autoFocus />
          )
        }
      </Field>
      <Button type="submit" variant="primary" size="md" pending={pending === "typed"} disabled={pending !== null}>
        {t("confirm")}
      </Button>
    </form>
  );
}

function useProof(onDone: () => void) {
  const t = useTranslations("security.stepUp");
  const passkey = usePasskey();
  const [pending, setPending] = useState<Pending>(null);
  const [problem, setProblem] = useState<string>();
  const prove = async (by: "typed" | "passkey", work: () => Promise<string | null>) => {
    setPending(by);
    setProblem(undefined);
    const refusal = await work().catch(() => t("requestFailed"));
    setPending(null);
    if (refusal === null) onDone();
    else setProblem(refusal);
  };
  const byTyping = (typed: TypedProof, text: string) => {
    if (text.trim() === "") return setProblem(t(typed === "password" ? "passwordMissing" : "codeMissing"));
    const run = () => (typed === "password" ? stepUpByPassword({ password: text }) : stepUpByCode({ code: text }));
    return prove("typed", async () => refusalOf(await run()));
  };
  const byPasskey = () =>
    prove("passkey", async () => {
      const challenge = await startPasskeyStepUp({});
      if (!challenge.ok) return challenge.message;
      const shown = await passkey.show(challenge.data);
      if (!shown.ok) return shown.message;
      return refusalOf(await finishPasskeyStepUp({ response: shown.response }));
    });
  return { pending, problem, byTyping, byPasskey, clear: () => setProblem(undefined) };
}

function refusalOf(result: ActionResult<unknown>): string | null {
  return result.ok ? null : result.message;
}
