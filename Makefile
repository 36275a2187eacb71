.PHONY: demo test
demo:
	python3 manage.py demo $(ARGS)
test:
	python3 manage.py test $(ARGS)
