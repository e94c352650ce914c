{{- /* Every section of every page: where it is, the titles of page and section, and its text. */ -}}
{{- $sections := slice -}}
{{- range where site.Pages "Kind" "in" (slice "home" "page") -}}
  {{- $page := . -}}
  {{- $title := partial "title" . | plainify | htmlUnescape -}}
  {{- range after 1 (split (replaceRE `<h[1-6] id="` "\u0001" .Content) "\u0001") -}}
    {{- $part := index (findRESubmatch `(?s)^([^"]*)">(.*?)</h[1-6]>(.*)$` . 1) 0 -}}
    {{- $sections = $sections | append (dict
      "url" (printf "%s#%s" (strings.TrimPrefix "/" $page.RelPermalink) (index $part 1))
      "page" $title
      "title" (index $part 2 | plainify | htmlUnescape)
      "text" (index $part 3 | plainify | htmlUnescape | replaceRE `\s+` " "))
    -}}
  {{- end -}}
{{- end -}}
const sections = {{ $sections | jsonify }};
