// The policy editor: its numbers grow with the text, a finding leads to its place, and a click inserts a word. Without
// this script the numbers end a few lines below the text.
const text = document.querySelector(".editor textarea");

if (text) {
  const numbers = document.querySelector(".editor .numbers");
  const grow = () => {
    const needed = text.value.split("\n").length;
    while (numbers.childElementCount < needed) {
      numbers.append(Object.assign(document.createElement("span"), { textContent: numbers.childElementCount + 1 }));
    }
    text.rows = numbers.childElementCount;
  };
  text.addEventListener("input", grow);
  grow();

  document.addEventListener("click", (event) => {
    const finding = event.target.closest?.("a[data-line]");
    if (!finding) return;
    event.preventDefault();
    const lines = text.value.split("\n");
    const before = lines.slice(0, finding.dataset.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    const place = [...(lines[finding.dataset.line - 1] ?? "")].slice(0, finding.dataset.column - 1).join("").length;
    text.focus();
    text.setSelectionRange(before + place, before + place + 1);
  });

  // Words beside the editor become buttons, which write them at the cursor; so that one can undo it, as if typed.
  for (const word of document.querySelectorAll("code[data-insert]")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "insert", title: "Insert at the cursor" });
    word.replaceWith(button);
    button.append(word);
    button.addEventListener("click", () => {
      text.focus();
      document.execCommand("insertText", false, word.dataset.insert);
    });
  }
}
