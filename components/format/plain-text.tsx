/** Text as it was written, with its lines. Stands for its rendered form until the renderer is here. */
export function PlainText({ text }: { text: string }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap break-words">
      {text}
    </p>
  );
}
