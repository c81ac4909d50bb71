{{- /* With `-migrate` it has at most 63 characters. A release's name has at most 53, so the result stays unique. */}}
{{- define "gatehouse.name" -}}
{{- $name := contains "gatehouse" .Release.Name | ternary .Release.Name (printf "%s-gatehouse" .Release.Name) }}
{{- $name | trunc 55 | trimSuffix "-" }}
{{- end }}

{{- /* Build metadata of a version, such as +g1, is valid neither in a label nor in a tag. */}}
{{- define "gatehouse.plain" -}}
{{ . | replace "+" "_" | trunc 63 | trimAll "-_." }}
{{- end }}

{{- define "gatehouse.selector" -}}
app.kubernetes.io/name: gatehouse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gatehouse.labels" -}}
{{ include "gatehouse.selector" . }}
app.kubernetes.io/version: {{ include "gatehouse.plain" .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | include "gatehouse.plain" }}
{{- end }}

{{- /* The labels that selectors use take precedence over those of the values. */}}
{{- define "gatehouse.podMetadata" -}}
{{- $own := get .root.Values .command }}
{{- $selected := include "gatehouse.selector" .root | fromYaml }}
{{- $component := dict "app.kubernetes.io/component" .command -}}
labels: {{- toYaml (merge $component $selected $own.podLabels .root.Values.podLabels) | nindent 2 }}
{{- with merge (dict) $own.podAnnotations .root.Values.podAnnotations (.annotations | default dict) }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The seconds of a duration such as 200ms, 10s or 5m, rounded up. */}}
{{- define "gatehouse.seconds" -}}
{{- $number := regexFind "^[0-9]+" . | float64 }}
{{- if hasSuffix "ms" . }}{{ divf $number 1000 | ceil }}{{ else }}{{ hasSuffix "m" . | ternary 60 1 | mulf $number }}{{ end }}
{{- end }}

{{- /* The pod of one command of the image. */}}
{{- define "gatehouse.pod" -}}
{{- $root := .root }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
automountServiceAccountToken: false
# Variables of services could be taken for misspelt ones.
enableServiceLinks: false
{{- with $root.Values.podSecurityContext }}
securityContext: {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ .command }}
    {{- /* Some engines reject a tag beside a digest. */}}
    {{- with $root.Values.image }}
    image: "{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default (include "gatehouse.plain" $root.Chart.AppVersion) }}{{ end }}"
    {{- end }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args: [{{ .command }}]
    env:
      {{- /* A number from a file is a float, which toString writes as 2e+07. */}}
      {{- range $name, $value := $root.Values.config }}
      - { name: {{ $name }}, value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }} }
      {{- end }}
      {{- range $name, $value := .env }}
      - { name: {{ $name }}, value: {{ $value | quote }} }
      {{- end }}
    envFrom:
      - secretRef: { name: {{ $root.Values.existingSecret }} }
      {{- with .secret }}
      - secretRef: { name: {{ . }} }
      {{- end }}
    {{- with .ports }}
    ports:
      {{- range $name, $port := . }}
      - { name: {{ $name }}, containerPort: {{ $port }} }
      {{- end }}
    # A slow start is not a failure, and PostgreSQL's absence is no reason for a restart.
    startupProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /healthz, port: http }
      timeoutSeconds: 3
      periodSeconds: 10
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /readyz, port: http }
      timeoutSeconds: 3
      periodSeconds: 5
    {{- end }}
    {{- with .preStopSeconds }}
    lifecycle:
      preStop:
        sleep: { seconds: {{ . }} }
    {{- end }}
    {{- with .resources }}
    resources: {{- toYaml . | nindent 6 }}
    {{- end }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    volumeMounts:
      - { name: tmp, mountPath: /tmp }
      {{- with $root.Values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
  {{- with $root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
