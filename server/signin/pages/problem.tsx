/** Why a form was not taken; its fields name it by `problem`. */
export function Problem({ text }: { text: string | undefined }): JSX.Element {
  if (!text) return "";
  return (
    <p id="problem" class="problem" role="alert" safe>
      {text}
    </p>
  );
}
