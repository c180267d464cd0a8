"use client";

import { FlaskConical, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { CopyButton } from "@/components/form/copy-button";
import { useRunAction } from "@/components/form/use-run-action";
import { Drawer } from "@/components/overlay/drawer";
import { Button } from "@/components/ui/button";
import { CodeBlock } from "@/components/ui/code-block";
import { Link } from "@/components/ui/link";
import { toast } from "@/components/ui/toast";
import type { CapturedBody, CaptureView as View } from "@/lib/capture/types";
import { deleteCapture } from "./actions";

type ViewProps = { capture: View; isOwn: boolean; canReplay: boolean };

/** A captured request and its answer, as text. */
export function CaptureView({ capture, isOwn, canReplay }: ViewProps) {
  const t = useTranslations("capture");
  const common = useTranslations("common");
  const router = useRouter();
  const { pending, run } = useRunAction();
  const onClose = () => router.push("/capture", { scroll: false });
  const onDelete = () =>
    run(
      () => deleteCapture({ id: capture.id }),
      () => {
        toast.success(common("deleted"), { duration: 1500 });
        onClose();
      },
    );
  return (
    <Drawer
      open
      onClose={onClose}
      className="max-w-2xl"
      title={capture.modelName || t("title")}
      description={capture.requestId}
      footer={
        <>
          {isOwn ? (
            <Button size="md" pending={pending} onClick={onDelete}>
              {pending ? null : <Trash2 aria-hidden />}
              {common("delete")}
            </Button>
          ) : null}
          {canReplay ? (
            <Button size="md" variant="primary" asChild>
              <Link href={`/playground?capture=${capture.id}`}>
                <FlaskConical aria-hidden />
                {t("replay")}
              </Link>
            </Button>
          ) : null}
        </>
      }
    >
      <Body title={t("request")} body={capture.request} />
      <Body title={t("answer")} body={capture.answer} />
    </Drawer>
  );
}

function Body({ title, body }: { title: string; body: CapturedBody }) {
  const t = useTranslations("capture");
  const common = useTranslations("common");
  const text = body.json === null ? body.text : JSON.stringify(body.json, null, 2);
  return (
    <section className="mb-6">
      <header className="mb-2 flex items-center justify-between gap-3">
        <h3 dir="auto" className="font-medium">
          {title}
        </h3>
        {text === "" ? null : <CopyButton text={text}>{common("copy")}</CopyButton>}
      </header>
      {body.isBinary ? <p className="text-muted-foreground">{t("binary")}</p> : null}
      {text === "" ? null : <CodeBlock className="max-h-[50dvh] whitespace-pre-wrap break-words">{text}</CodeBlock>}
      {body.parts.map((part) => (
        <div key={part.path} className="mb-3">
          <p className="mb-1 font-mono text-muted-foreground text-xs">{part.path}</p>
          <CodeBlock className="max-h-[50dvh] whitespace-pre-wrap break-words">{part.text}</CodeBlock>
        </div>
      ))}
      {body.isCut ? <p className="mt-1 text-muted-foreground text-xs">{t("isCut")}</p> : null}
    </section>
  );
}
